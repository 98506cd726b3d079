package custommodules

import (
	"fmt"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Bounds on what an answer says about bad input, and on the work of finding the words: a stranger
// decides how much of it there is.
const (
	mostProblems    = 100
	mostSuggestions = 20
)

// problems collects what is wrong with a request, so that all of it is said at once. The first
// message about a path stays; the zero value is ready to use.
type problems struct {
	messages  map[string][]string
	more      int
	suggested int
}

func (p *problems) add(path, message string) {
	switch _, known := p.messages[path]; {
	case known:
	case len(p.messages) >= mostProblems:
		p.more++
	default:
		if p.messages == nil {
			p.messages = map[string][]string{}
		}
		p.messages[path] = []string{message}
	}
}

// unknown adds the refusal of a key that stands under a path and is not one of the known.
func (p *problems) unknown(path, key, of string, known []string) {
	p.suggested++
	if p.suggested > mostSuggestions {
		known = nil
	}
	p.add(path+"."+naming.Shorten(key), naming.Unknown(key, of, known))
}

// under adds what was found about a part of the request that stands under a path.
func (p *problems) under(path string, part problems) {
	for inside, messages := range part.messages {
		p.add(path+"."+inside, messages[0])
	}
}

func (p *problems) none() bool { return len(p.messages) == 0 }

// as returns failure with the messages, nil if there are none. What was too much to say is counted
// under the path rest.
func (p *problems) as(failure *errs.Error, rest string) error {
	if p.none() {
		return nil
	}
	with := *failure
	with.Fields = p.messages
	if p.more > 0 {
		with.Fields[rest] = append(with.Fields[rest], fmt.Sprintf("And %d more problems.", p.more))
	}

	return &with
}
