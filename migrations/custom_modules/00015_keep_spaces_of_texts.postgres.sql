-- +goose Up
-- New fields of text trim their values. Those that are there go on as they are.
UPDATE custom_modules_fields SET options = options || '{"trim": false}' WHERE type IN ('text', 'long_text');

-- +goose Down
UPDATE custom_modules_fields SET options = options - 'trim' - 'fold' WHERE type IN ('text', 'long_text');
