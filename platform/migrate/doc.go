// Package migrate brings the tables of the platform and of the areas up to date.
//
// Migrations are SQL for PostgreSQL in migrations/<area>/NNNNN_verb_noun.sql, in goose's format:
//
//	-- +goose Up
//	CREATE TABLE sms_messages (
//	    company_id uuid NOT NULL REFERENCES identity_companies (id),
//	    id uuid NOT NULL,
//	    sent_at timestamptz,
//	    PRIMARY KEY (company_id, id)
//	);
//
//	-- +goose Down
//	DROP TABLE sms_messages;
//
// Versions count from 00001 in each area, and each area has its own version table, goose_<area>,
// so areas do not wait for each other's numbers. A statement with a semicolon inside stands
// between "-- +goose StatementBegin" and "-- +goose StatementEnd".
//
// # Both databases
//
// A file NNNNN_name.sql is for both databases and is translated for SQLite. A statement that only
// one database has goes into NNNNN_name.postgres.sql or NNNNN_name.sqlite.sql, which is applied as
// it is and passed over on the other database. A number is used by one file for both, or by one
// file for each, or by one file for one of them, never by a file for both and another. Where a
// number has a file for each database, they leave the same tables, columns and indexes.
//
// On SQLite these types of columns become:
//
//	smallint integer int bigint      integer
//	real, double precision           real
//	boolean                          boolean, holding 0 or 1
//	text                             text
//	uuid                             text
//	json jsonb                       text: the declared type jsonb would turn the document 1.0 into 1
//	numeric decimal                  text: exact, and sortable when it is written with a fixed width
//	bytea                            blob
//	timestamptz                      datetime, holding UTC text of fixed width, which the driver scans into a time.Time
//	timestamp date                   the same names, which the driver scans into a time.Time
//
// A precision in parentheses is dropped. Any other type is an error: SQLite would accept every word
// as a type. So are arrays. Instead of varchar(n) take text with a CHECK of its length, which both
// databases enforce. And:
//
//	now()  CURRENT_TIMESTAMP                         the present in the same fixed-width text, to the millisecond
//	COLLATE "C"                                      COLLATE BINARY
//	'…'::type                                        '…'
//	GENERATED … AS IDENTITY PRIMARY KEY              PRIMARY KEY AUTOINCREMENT
//
// The rest is left as it is; partial indexes, indexes on expressions, CHECK and foreign keys are
// the same on both. What SQLite does not know (ADD CONSTRAINT, ALTER COLUMN, several actions in one
// ALTER TABLE, USING, INCLUDE, NULLS in an index) is its syntax error. There are three traps:
//
//   - A unique index over columns that code tells apart (database.ConstraintOf) has the name that
//     PostgreSQL would give to the constraint, <table>_<columns>_key: SQLite reports the columns only.
//   - A column of a primary key says NOT NULL: on SQLite, PRIMARY KEY does not.
//   - SQLite changes a column only by building the table anew. Foreign keys are on, so dropping the
//     old table deletes the rows that point to it with ON DELETE CASCADE.
//
// A test of the migrations package applies every folder to both databases and compares the tables,
// columns, keys and indexes.
//
// # Names
//
// Tables, indexes and everything else that a migration of an area names begin with "<area>_"; a
// foreign key may also point to identity_companies and identity_users. See CheckTableNames.
//
// # NO TRANSACTION
//
// CREATE INDEX CONCURRENTLY needs goose's annotation NO TRANSACTION. It is allowed in a
// .postgres.sql file that has one statement each way, so that here too a failure leaves no half.
package migrate
