package web

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// queryKeys are the keys that an operation takes in its query.
type queryKeys struct {
	names []string
	// repeated keys may be given several times, deep ones have further names in brackets.
	repeated, deep []string
	// lenient ignores keys that are not known.
	lenient bool
}

func newQueryKeys(parameters []*huma.Param) queryKeys {
	var q queryKeys
	for _, p := range parameters {
		switch {
		case p.In != "query":
			continue
		case p.Style == "deepObject":
			q.deep = append(q.deep, p.Name+"[")
			q.names = append(q.names, p.Name+"[…]")
		default:
			q.names = append(q.names, p.Name)
			if p.Explode != nil && *p.Explode {
				q.repeated = append(q.repeated, p.Name)
			}
		}
	}

	return q
}

// flaws returns, by key, what is wrong with the query as such: a key that is not known, one that
// is given twice where one is read, text that is none. Values are Huma's matter.
func (q queryKeys) flaws(c *fiber.Ctx) map[string][]string {
	args := c.Context().QueryArgs()
	if args.Len() == 0 {
		return nil
	}
	flaws := map[string][]string{}
	seen := map[string]bool{}
	for k, v := range args.All() {
		key := string(k)
		deep := slices.ContainsFunc(q.deep, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		switch {
		case !deep && !slices.Contains(q.names, key) && q.lenient:
		case !deep && !slices.Contains(q.names, key):
			flaws[strings.ToValidUTF8(key, "�")] = []string{q.unknown(key)}
		case !httperror.Storable(key) || !httperror.Storable(string(v)):
			flaws[strings.ToValidUTF8(key, "�")] = []string{jsonbody.Sentence(key, "must be text in UTF-8.")}
		case seen[key] && !deep && !slices.Contains(q.repeated, key):
			flaws[key] = []string{jsonbody.Sentence(key, "must be given once.")}
		}
		seen[key] = true
	}

	return flaws
}

func (q queryKeys) unknown(key string) string {
	if len(q.names) == 0 {
		return "This key is not known; no keys are allowed."
	}
	if near := naming.Nearest(key, q.names); near != "" {
		return "This key is not known. Did you mean `" + near + "`? Allowed are " + strings.Join(q.names, ", ") + "."
	}

	return "This key is not known; allowed are " + strings.Join(q.names, ", ") + "."
}
