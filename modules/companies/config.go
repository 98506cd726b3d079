package companies

import (
	"errors"
	"time"
)

// The longest lives that can be configured.
const (
	maxInvitationLife = 30 * 24 * time.Hour
	maxResetLife      = 7 * 24 * time.Hour
)

// settings are the keys under modules.companies.
type settings struct {
	LoginLife      time.Duration `config:"login_life" doc:"How long the token of a login is valid."`
	InvitationLife time.Duration `config:"invitation_life" doc:"How long an invitation can be accepted, at most 720h."`
	ResetLife      time.Duration `config:"reset_life" doc:"How long a reset link is valid, at most 168h."`
	PasswordHashes int           `config:"password_hashes" doc:"How many passwords are hashed at the same time. Each takes 19 MiB and about 30 ms of a core; further logins wait."`
}

func defaults() settings {
	return settings{
		LoginLife: 12 * time.Hour, InvitationLife: 7 * 24 * time.Hour, ResetLife: 24 * time.Hour, PasswordHashes: 2,
	}
}

// Validate reports a setting that cannot work.
func (s settings) Validate() error {
	switch {
	case s.LoginLife < time.Minute:
		return errors.New("login_life: want 1m or more")
	case s.InvitationLife < time.Minute || s.InvitationLife > maxInvitationLife:
		return errors.New("invitation_life: want 1m to 720h")
	case s.ResetLife < time.Minute || s.ResetLife > maxResetLife:
		return errors.New("reset_life: want 1m to 168h")
	case s.PasswordHashes < 1:
		return errors.New("password_hashes: want 1 or more")
	default:
		return nil
	}
}
