// Package overview shows what a company uses: its areas, their numbers, and the scopes that they have.
package overview

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// FeatureRoutes are the operations on the areas that companies use.
func FeatureRoutes(r *web.Router, f *Features) {
	unknown := []*errs.Error{identity.ErrCompanyNotFound}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/features", ID: "read_features", Access: web.Read, Errors: unknown,
		Summary: "Read which areas the company uses",
	}, f.own)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/companies/{uuid}/features", ID: "read_company_features",
		Access: web.Read, Callers: web.OfOperator, Errors: unknown,
		Summary: "Read which areas a company uses",
	}, f.read)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/companies/{uuid}/features", ID: "update_company_features",
		Access: web.Write, Callers: web.OfOperator, Errors: append(unknown, feature.Refusals...),
		Summary: "Switch areas on and off for a company",
		Description: "Takes effect everywhere within seconds. An area that is off answers 403 and does nothing for the " +
			"company; its data is kept, and its jobs wait. With `dry_run=true` nothing is changed: the answer shows " +
			"what would change, and also whether the change would be refused because areas need each other.",
	}, f.update)
}

// Features shows and changes which areas a company uses.
type Features struct {
	sets     *feature.Sets
	identity *identity.Service
}

// NewFeatures returns the features of a deployment.
func NewFeatures(sets *feature.Sets, who *identity.Service) *Features {
	return &Features{sets: sets, identity: who}
}

type featuresOutput struct {
	Body struct {
		Data []feature.Use `json:"data" nullable:"false" doc:"The areas of the deployment."`
	}
}

type companyFeaturesInput struct {
	UUID uuid.UUID `path:"uuid"`
}

type updateFeaturesInput struct {
	UUID   uuid.UUID `path:"uuid"`
	DryRun bool      `query:"dry_run" doc:"Answers what would change, without changing anything."`
	Body   featureChange
}

type featureChange struct {
	Areas   map[string]bool `json:"areas" doc:"By area: whether the company uses it. Areas left out stay unchanged." example:"{\"custom_modules\":false}"`
	Cascade bool            `json:"cascade,omitempty" doc:"Also switch off the areas that need one that goes off, and switch on those that one needs that comes on."`
}

// SchemaName is the name of the change in the OpenAPI document.
func (featureChange) SchemaName() string { return "FeatureChange" }

type planOutput struct{ Body feature.Plan }

func (f *Features) own(ctx context.Context, _ *struct{}) (*featuresOutput, error) {
	return f.of(ctx, principal.CompanyOf(ctx))
}

func (f *Features) read(ctx context.Context, in *companyFeaturesInput) (*featuresOutput, error) {
	return f.of(ctx, in.UUID)
}

func (f *Features) of(ctx context.Context, company uuid.UUID) (*featuresOutput, error) {
	if _, err := f.identity.Company(ctx, company); err != nil {
		return nil, err
	}
	uses, err := f.sets.Of(ctx, company)
	if err != nil {
		return nil, err
	}
	out := &featuresOutput{}
	out.Body.Data = uses

	return out, nil
}

func (f *Features) update(ctx context.Context, in *updateFeaturesInput) (*planOutput, error) {
	if _, err := f.identity.Company(ctx, in.UUID); err != nil {
		return nil, err
	}
	change := feature.Change{Areas: in.Body.Areas, Cascade: in.Body.Cascade}
	plan, err := f.sets.Plan(ctx, in.UUID, change)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		return &planOutput{Body: plan}, nil
	}
	if _, err := f.sets.Apply(ctx, in.UUID, change); err != nil {
		return nil, err
	}

	return &planOutput{Body: plan}, nil
}
