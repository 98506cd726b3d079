package intake

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

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
	for _, line := range all[0].Found.V.Unparsed {
		label, value, _ := strings.Cut(line, ": ")
		for _, field := range slices.Sorted(maps.Keys(says)) {
			if plain(says[field]) != "" && plain(says[field]) == plain(value) {
				out.Body.Labels = append(out.Body.Labels, sourceLabel{label, field})

				break
			}
		}
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

// plain is a value without what is written in different ways: case, spaces and punctuation, and the +1 of phone numbers.
func plain(text string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}

		return -1
	}, text)
	const national = 10
	if digits := strings.TrimPrefix(kept, "1"); len(digits) == national && strings.Trim(digits, "0123456789") == "" {
		return digits
	}

	return kept
}
