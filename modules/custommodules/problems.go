package custommodules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Bounds on what an answer says about bad input, and on the work of finding the words: a stranger
// decides how much of it there is.
const (
	mostProblems    = 100
	mostSuggestions = 20
	longestEcho     = 60
	longestSuggest  = 64
	mostListed      = 20
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
	p.add(path+"."+shorten(key), unknownKey(key, of, known))
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

// unknownKey words the refusal of a key, with the nearest of the known ones.
func unknownKey(key, of string, known []string) string {
	message := fmt.Sprintf("The key %s is not known%s.", shorten(key), of)
	switch nearest := nearest(key, known); {
	case nearest != "":
		message += " Did you mean " + nearest + "?"
	case len(known) > 0 && len(known) <= mostListed:
		message += " Known are: " + strings.Join(slices.Sorted(slices.Values(known)), ", ") + "."
	}

	return message
}

// nearest returns the known key that key is probably meant to be, "" if none is near.
func nearest(key string, known []string) string {
	if len(key) > longestSuggest {
		return ""
	}
	best, distance := "", len(key)/3+2
	for _, candidate := range known {
		if len(candidate) >= len(key)+distance || len(key) >= len(candidate)+distance {
			continue
		}
		if d := levenshtein.ComputeDistance(key, candidate); d < distance {
			best, distance = candidate, d
		}
	}

	return best
}

// shorten cuts a key of the caller's to what an answer may repeat.
func shorten(key string) string {
	runes := []rune(key)
	if len(runes) <= longestEcho {
		return key
	}

	return string(runes[:longestEcho]) + "…"
}
