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
	"github.com/dispatchd/dispatchd/platform/database"
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
	return Settings{LinkLife: 14 * 24 * time.Hour, Documents: []string{stepInsurance, stepW9, stepAgreement}}
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

// companySettings reads and writes the packet settings of the caller's company.
type companySettings struct {
	configured Settings
	store      *repository
	db         *database.DB
	clock      clock.Clock
}

// asked are the settings of a company. Version is 0 if they are the configured ones.
type asked struct {
	Documents []string `json:"documents" nullable:"false" doc:"Steps that packets request: insurance, w9, remit_to, agreement, identity."`
	Agreement string   `json:"agreement" doc:"Text of the agreement; empty for none."`
	LinkDays  int64    `json:"link_days" doc:"How many days the link of a packet is valid."`
	Version   int64    `json:"version"`
}

// SchemaName implements web.SchemaNamer.
func (asked) SchemaName() string { return "PacketSettings" }

func (s *companySettings) read(ctx context.Context) (asked, error) {
	row, err := s.store.settings(ctx)
	if err != nil {
		return asked{}, err
	}
	if row == nil {
		return asked{Documents: slices.Clone(s.configured.Documents), LinkDays: int64(s.configured.LinkLife / (24 * time.Hour))}, nil
	}

	return asked{Documents: row.Documents, Agreement: row.Agreement, LinkDays: row.LinkDays, Version: row.Version}, nil
}

type settingsOutput = web.Resource[asked]

type putSettingsInput struct {
	web.IfMatch

	Body struct {
		Documents []string `json:"documents" maxItems:"10" nullable:"false" enum:"insurance,w9,remit_to,agreement,identity"`
		Agreement string   `json:"agreement,omitempty" maxLength:"50000"`
		LinkDays  int64    `json:"link_days,omitempty" minimum:"1" maximum:"90" default:"14"`
	}
}

func (s *companySettings) routes(r *web.Router, invalid *errs.Error) {
	const path = "/packet_settings"
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

func (s *companySettings) answer(ctx context.Context) (*settingsOutput, error) {
	now, err := s.read(ctx)
	if err != nil {
		return nil, err
	}

	return web.NewResource(now, now.Version, "/carriers/api/v1/packet_settings"), nil
}

func (s *companySettings) put(ctx context.Context, in *putSettingsInput) (*settingsOutput, error) {
	b := in.Body
	agreement := strings.TrimSpace(b.Agreement)
	if slices.Contains(b.Documents, stepAgreement) && agreement == "" {
		return nil, errDocuments.WithField("agreement", "The agreement is required if documents contains agreement.")
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.lockSettings(ctx, s.clock.Now()); err != nil {
			return err
		}
		now, err := s.read(ctx)
		if err != nil {
			return err
		}
		if err := in.Check(now.Version); err != nil {
			return err
		}

		return s.store.saveSettings(ctx, preferences{
			Documents: ordered(b.Documents), Agreement: agreement, LinkDays: b.LinkDays, Version: now.Version + 1, UpdatedAt: s.clock.Now(), UpdatedBy: principal.UserOf(ctx),
		})
	})
	if err != nil {
		return nil, err
	}

	return s.answer(ctx)
}

// ordered returns documents in the order of their steps, without duplicates.
func ordered(asked []string) []string {
	all := []string{}
	for _, d := range documents {
		if slices.Contains(asked, d) {
			all = append(all, d)
		}
	}

	return all
}
