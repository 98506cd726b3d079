package packet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Settings are the configuration keys under modules.carriers.packet.
type Settings struct {
	LinkLife  time.Duration `config:"link_life" doc:"How long the link of an onboarding packet is valid, at most 90 days. Companies can change it."`
	Documents []string      `config:"documents" doc:"Steps that onboarding packets request: insurance, w9, remit_to, agreement, identity. Companies can change them. An agreement is requested only if the company has written one."`
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{LinkLife: 14 * 24 * time.Hour, Documents: []string{StepInsurance, StepW9, StepAgreement}}
}

// Validate reports an invalid setting.
func (s Settings) Validate() error {
	if s.LinkLife <= 0 || s.LinkLife > maxLinkLife {
		return errors.New("packet.link_life: want more than 0s and 2160h at most")
	}
	for _, d := range s.Documents {
		if !slices.Contains(documents, d) {
			return fmt.Errorf("packet.documents: %q is none of %s", d, strings.Join(documents, ", "))
		}
	}

	return nil
}

// CompanySettings reads and writes the packet settings of the caller's company.
type CompanySettings struct {
	configured Settings
	stored     *Repository
	clock      clock.Clock
}

// NewCompanySettings returns a CompanySettings.
func NewCompanySettings(s Settings, stored *Repository, c clock.Clock) *CompanySettings {
	return &CompanySettings{s, stored, c}
}

// Preferences are the settings of a company. Version is 0 if they are the configured ones.
type Preferences struct {
	Documents []string `json:"documents" nullable:"false" doc:"Steps that packets request: insurance, w9, remit_to, agreement, identity."`
	Agreement string   `json:"agreement" doc:"Text of the agreement; empty for none."`
	LinkDays  int64    `json:"link_days" doc:"How many days the link of a packet is valid."`
	Version   int64    `json:"version"`
}

// SchemaName implements web.SchemaNamer.
func (Preferences) SchemaName() string { return "PacketSettings" }

// Read returns the settings of the company or, if it has none, the configured ones.
func (s *CompanySettings) Read(ctx context.Context) (Preferences, error) {
	row, err := s.stored.settings(ctx)
	if err != nil {
		return Preferences{}, err
	}
	if row == nil {
		return Preferences{Documents: slices.Clone(s.configured.Documents), LinkDays: int64(s.configured.LinkLife / (24 * time.Hour))}, nil
	}

	return Preferences{Documents: row.Documents, Agreement: row.Agreement, LinkDays: row.LinkDays, Version: row.Version}, nil
}

// Request returns the steps that a packet requests: those that are wanted or, if nil, those of the settings. Error: ErrNoAgreement.
func (p Preferences) Request(wanted []string) ([]string, error) {
	switch {
	case wanted == nil && p.Agreement == "":
		return slices.DeleteFunc(ordered(p.Documents), func(d string) bool { return d == StepAgreement }), nil
	case wanted == nil:
		return ordered(p.Documents), nil
	case slices.Contains(wanted, StepAgreement) && p.Agreement == "":
		return nil, ErrNoAgreement
	default:
		return ordered(wanted), nil
	}
}

// Expiry is when the link of a packet expires that is sent now.
func (s *CompanySettings) Expiry(p Preferences) time.Time {
	return s.clock.Now().Add(time.Duration(p.LinkDays) * 24 * time.Hour)
}

type settingsOutput = web.Resource[Preferences]

type putSettingsInput struct {
	web.IfMatch

	Body struct {
		Documents []string `json:"documents" maxItems:"10" nullable:"false" enum:"insurance,w9,remit_to,agreement,identity"`
		Agreement string   `json:"agreement,omitempty" maxLength:"50000"`
		LinkDays  int64    `json:"link_days,omitempty" minimum:"1" maximum:"90" default:"14"`
	}
}

// SettingsRoutes registers the operations on the settings.
func SettingsRoutes(r *web.Router, s *CompanySettings) {
	const path = "/packet_settings"
	invalid := ErrInvalid
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: path, ID: "read_packet_settings", Access: web.Read, Summary: "Read the packet settings",
		Errors: []*errs.Error{invalid},
	}, func(ctx context.Context, _ *struct{}) (*settingsOutput, error) { return s.answer(ctx) })
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: path, ID: "replace_packet_settings", Access: web.Scope("rules"), Summary: "Replace the packet settings",
		Description: "Open packets keep the steps that they request. They show the new agreement unless the previous one was accepted.",
		Errors:      []*errs.Error{invalid},
	}, s.put)
}

func (s *CompanySettings) answer(ctx context.Context) (*settingsOutput, error) {
	now, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}

	return web.NewResource(now, now.Version, Base+"/packet_settings"), nil
}

func (s *CompanySettings) put(ctx context.Context, in *putSettingsInput) (*settingsOutput, error) {
	b := in.Body
	agreement := strings.TrimSpace(b.Agreement)
	if slices.Contains(b.Documents, StepAgreement) && agreement == "" {
		return nil, ErrInvalid.WithField("agreement", "The agreement is required if documents contains agreement.")
	}
	err := s.stored.InTx(ctx, func(ctx context.Context) error {
		if err := s.stored.lockSettings(ctx, s.clock.Now()); err != nil {
			return err
		}
		now, err := s.Read(ctx)
		if err != nil {
			return err
		}
		if err := in.Check(now.Version); err != nil {
			return err
		}

		return s.stored.saveSettings(ctx, settingsRow{
			Documents: ordered(b.Documents), Agreement: agreement, LinkDays: b.LinkDays, Version: now.Version + 1, UpdatedAt: s.clock.Now(), UpdatedBy: principal.UserOf(ctx),
		})
	})
	if err != nil {
		return nil, err
	}

	return s.answer(ctx)
}

// ordered returns documents in the order of their steps, without duplicates.
func ordered(wanted []string) []string {
	all := []string{}
	for _, d := range documents {
		if slices.Contains(wanted, d) {
			all = append(all, d)
		}
	}

	return all
}
