-- +goose Up
-- New fields of text trim their values. Those that are there go on as they are.
UPDATE custom_modules_fields SET options = json_set(options, '$.trim', json('false')) WHERE type IN ('text', 'long_text');

-- +goose Down
UPDATE custom_modules_fields SET options = json_remove(options, '$.trim', '$.fold') WHERE type IN ('text', 'long_text');
