package definition

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// SensitiveScope is what seeing and setting the values of sensitive fields takes.
const (
	SensitiveAction = "sensitive"
	SensitiveScope  = custommodulesapi.Area + ":" + SensitiveAction
)

// SeesSensitive reports whether the caller may see the values of sensitive fields.
func SeesSensitive(ctx context.Context) bool {
	caller, _ := principal.From(ctx)

	return caller.Allows(SensitiveScope)
}

// SeenBy returns the definition as the caller knows it: without the incoming fields, and without the sensitive fields unless he has their
// scope. Whatever shows, filters or sorts goes by it, so that a field which is not in it is to him as
// unknown as one that there never was. What writes goes by the whole definition.
func (d *Definition) SeenBy(ctx context.Context) *Definition {
	switch {
	case d.Open != nil && !SeesSensitive(ctx):
		return d.Open
	case d.Public != nil:
		return d.Public
	default:
		return d
	}
}

// withhold makes the definition for those who may not see sensitive fields, nil if there are none, and that
// without those that nobody sees.
func (d *Definition) withhold() {
	if len(d.arriving)+len(d.Mirrors) > 0 {
		public := slices.DeleteFunc(slices.Clone(d.Fields), (*ModuleField).IsInternal)
		d.Public = NewDefinition(d.Module, d.Revision, public, d.dialect)
		d.Open = d.Public.Open

		return
	}
	var open []*ModuleField
	var withheld []string
	var hidden []uuid.UUID
	for _, f := range d.Fields {
		if f.Sensitive {
			withheld = append(withheld, f.Key)
			hidden = append(hidden, f.ID)
		} else {
			open = append(open, f)
		}
	}
	if len(withheld) > 0 {
		d.Open = NewDefinition(d.Module, d.Revision, open, d.dialect)
		d.Open.Withheld, d.Open.hidden = withheld, hidden
	}
}

// CheckSensitive refuses a payload that sets fields which the caller may not see. It goes before
// everything else that looks at values: a caller who could try values out would learn what they are.
func (d *Definition) CheckSensitive(ctx context.Context, payload []byte) error {
	if d.Open == nil || SeesSensitive(ctx) {
		return nil
	}
	var found Problems
	for name := range rawjson.Members(payload) {
		if i, ok := d.find(name); ok && d.Fields[i].Sensitive {
			f := d.Fields[i]
			found.Add("payload."+f.Key, "The "+f.Spoken+" is sensitive: this requires the scope "+SensitiveScope+".")
		}
	}

	return found.ErrorAs(ErrInvalidPayload, "payload")
}

// ShownWarnings are the warnings about fields that the definition has.
func (d *Definition) ShownWarnings(all map[string][]string) map[string][]string {
	if len(d.Withheld) == 0 {
		return all
	}
	shown := map[string][]string{}
	for path, messages := range all {
		if d.Field(strings.TrimPrefix(path, "payload.")) != nil {
			shown[path] = messages
		}
	}

	return shown
}
