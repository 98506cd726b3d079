package sources

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

type learnedOutput struct {
	Body struct {
		Labels []sourceLabel `json:"labels" nullable:"false" doc:"What was learned; empty if the load says nothing of what was not understood."`
	}
}

// learn teaches a source the labels of the latest request of a load that were not known, where the load, as people have completed it, says what they have: next
// time, it is understood.
func (s *Desk) learn(ctx context.Context, in *oneInput) (*learnedOutput, error) {
	says, err := s.loads.Says(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &learnedOutput{}
	out.Body.Labels = []sourceLabel{}
	all, err := s.rows.receivedOf(ctx, in.UUID)
	if err != nil || len(all) == 0 {
		return out, err
	}
	for _, l := range intake.Learn(all[0].Found.V, says) {
		out.Body.Labels = append(out.Body.Labels, sourceLabel(l))
	}
	if len(out.Body.Labels) == 0 {
		return out, nil
	}
	_, err = s.sources.Change(ctx, all[0].SourceID, web.IfMatch{}, resource.Update, func(_ context.Context, of *Source) error {
		for _, l := range out.Body.Labels {
			if !slices.ContainsFunc(of.Labels.V, func(known sourceLabel) bool { return known.Label == l.Label }) {
				of.Labels.V = append(of.Labels.V, l)
			}
		}

		return nil
	})

	return out, err
}
