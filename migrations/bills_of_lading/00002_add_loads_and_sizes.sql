-- +goose Up
-- Damages and photos are found by their load. Photos have a size, and inspections the number of photos that upload links were made for.
ALTER TABLE bills_of_lading_damages ADD COLUMN load_id uuid;
ALTER TABLE bills_of_lading_photos ADD COLUMN load_id uuid;
ALTER TABLE bills_of_lading_photos ADD COLUMN size_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE bills_of_lading_inspections ADD COLUMN photos_invited bigint NOT NULL DEFAULT 0;
UPDATE bills_of_lading_damages SET load_id = (SELECT b.load_id FROM bills_of_lading_bols b
    WHERE b.company_id = bills_of_lading_damages.company_id AND b.id = bills_of_lading_damages.bol_id);
UPDATE bills_of_lading_photos SET load_id = (SELECT b.load_id FROM bills_of_lading_bols b
    WHERE b.company_id = bills_of_lading_photos.company_id AND b.id = bills_of_lading_photos.bol_id);
CREATE INDEX bills_of_lading_damages_load ON bills_of_lading_damages (company_id, load_id);
CREATE INDEX bills_of_lading_photos_load ON bills_of_lading_photos (company_id, load_id);

-- +goose Down
DROP INDEX bills_of_lading_photos_load;
DROP INDEX bills_of_lading_damages_load;
ALTER TABLE bills_of_lading_inspections DROP COLUMN photos_invited;
ALTER TABLE bills_of_lading_photos DROP COLUMN size_bytes;
ALTER TABLE bills_of_lading_photos DROP COLUMN load_id;
ALTER TABLE bills_of_lading_damages DROP COLUMN load_id;
