package definition

import (
	"fmt"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Merge adds what was found about another part.
func (p *Problems) Merge(other Problems) {
	for path, messages := range other.Messages {
		p.Add(path, messages[0])
	}
}

// Bounds on what an answer says about bad input, and on the work of finding the words: a stranger
// decides how much of it there is.
const (
	MostProblems    = 100
	mostSuggestions = 20
)

// Problems collects what is wrong with a request, so that all of it is said at once. The first
// message about a path stays; the zero value is ready to use.
type Problems struct {
	Messages  map[string][]string
	more      int
	suggested int
}

// Add notes what is wrong at a path; the first message of a path is kept.
func (p *Problems) Add(path, message string) {
	switch _, known := p.Messages[path]; {
	case known:
	case len(p.Messages) >= MostProblems:
		p.more++
	default:
		if p.Messages == nil {
			p.Messages = map[string][]string{}
		}
		p.Messages[path] = []string{message}
	}
}

// Unknown adds the refusal of a key that stands under a path and is not one of the known.
func (p *Problems) Unknown(path, key, of string, known []string) {
	p.suggested++
	if p.suggested > mostSuggestions {
		known = nil
	}
	p.Add(path+"."+naming.Shorten(key), naming.UnknownKey(key, of, known))
}

// AddUnder adds what was found about a part of the request that stands under a path.
func (p *Problems) AddUnder(path string, part Problems) {
	for inside, messages := range part.Messages {
		p.Add(path+"."+inside, messages[0])
	}
}

// None reports whether nothing is wrong.
func (p *Problems) None() bool { return len(p.Messages) == 0 }

// ErrorAs returns failure with the messages, nil if there are none. What was too much to say is counted
// under the path rest.
func (p *Problems) ErrorAs(failure *errs.Error, rest string) error {
	if p.None() {
		return nil
	}
	with := *failure
	with.Fields = p.Messages
	if p.more > 0 {
		with.Fields[rest] = append(with.Fields[rest], fmt.Sprintf("And %d more problems.", p.more))
	}

	return &with
}

// OneProblem is a problem by itself.
func OneProblem(path, message string) (found Problems) {
	found.Add(path, message)

	return found
}
