package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

func (r repository) createUser(ctx context.Context, u User) error {
	return database.Translate(r.db.Conn(ctx).Create(&userRow{
		ID: u.ID, Name: u.Name, Email: u.Email, Role: u.Role, Version: u.Version,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}).Error)
}

func (r repository) user(ctx context.Context, id uuid.UUID) (User, error) {
	row, err := r.userRow(ctx, id)

	return row.user(), err
}

func (r repository) userRow(ctx context.Context, id uuid.UUID) (userRow, error) {
	var row userRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row, database.Translate(err)
}

// userNames returns the names of those of some users that there are.
func (r repository) userNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]NamedUser, error) {
	rows, err := database.All[userRow](r.db.Conn(ctx).Select("id", "name", "deactivated_at").Where("id IN ?", ids))
	names := make(map[uuid.UUID]NamedUser, len(rows))
	for _, row := range rows {
		names[row.ID] = NamedUser{row.Name, row.DeactivatedAt == nil}
	}

	return names, err
}

// updateUser changes columns of a user, who gets a new version.
func (r repository) updateUser(ctx context.Context, id uuid.UUID, now time.Time, columns map[string]any) error {
	columns["updated_at"], columns["version"] = now, gorm.Expr("version + 1")

	return requireChanged(r.db.Conn(ctx).Model(&userRow{}).Where("id = ?", id).Updates(columns))
}

// owners counts the active owners of the caller's company.
func (r repository) owners(ctx context.Context) (count int64, err error) {
	err = r.db.Conn(ctx).Model(&userRow{}).Where("role = ? AND deactivated_at IS NULL", Owner).Count(&count).Error

	return count, database.Translate(err)
}

// usersWith counts the users who have a role, the deactivated ones too.
func (r repository) usersWith(ctx context.Context, role Role) (count int64, err error) {
	err = r.db.Conn(ctx).Model(&userRow{}).Where("role = ?", role).Count(&count).Error

	return count, database.Translate(err)
}

// accountRow is a user who may log in, with the hash of the password.
type accountRow struct {
	CompanyID    uuid.UUID
	CompanyName  string
	ID           uuid.UUID
	PasswordHash string
}

// accounts returns who may log in with an address, in one company or in all.
func (r repository) accounts(ctx context.Context, email string, company uuid.UUID) ([]accountRow, error) {
	const why = "in which companies an address may log in is not known before"
	var rows []accountRow
	err := r.db.Raw(ctx, why).Raw(`
		SELECT u.company_id, c.name AS company_name, u.id, u.password_hash
		FROM identity_users u
		JOIN identity_companies c ON c.id = u.company_id
		WHERE u.email = ? AND u.password_hash <> '' AND u.deactivated_at IS NULL AND c.suspended_at IS NULL
			AND (c.id = ? OR ?)
		ORDER BY u.company_id
		LIMIT ?`, email, company, company == uuid.Nil, maxAccounts).Scan(&rows).Error

	return rows, database.Translate(err)
}

// loggedIn records a login, if the user may still log in with that password, and reports whether.
func (r repository) loggedIn(ctx context.Context, id uuid.UUID, hash string, now time.Time) (bool, error) {
	tx := r.db.Conn(ctx).Model(&userRow{}).
		Where("id = ? AND password_hash = ? AND deactivated_at IS NULL", id, hash).Update("last_login_at", now)

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// emailTaken reports whether a user of the caller's company has the address.
func (r repository) emailTaken(ctx context.Context, email string) (bool, error) {
	var rows []userRow
	err := r.db.Conn(ctx).Select("id").Where("email = ?", email).Limit(1).Find(&rows).Error

	return len(rows) > 0, database.Translate(err)
}

func (r repository) activeUsers(ctx context.Context) (count int64, err error) {
	err = r.db.Conn(ctx).Model(&userRow{}).Where("deactivated_at IS NULL").Count(&count).Error

	return count, database.Translate(err)
}
