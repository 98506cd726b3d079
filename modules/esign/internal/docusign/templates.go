package docusign

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// templatesPage is how many templates are asked for at a time; envelopesPage the same of envelopes.
const (
	templatesPage = 100
	envelopesPage = 100
)

// page is what lists have in common. Numbers are texts.
type page struct {
	End   number `json:"endPosition"`
	Total number `json:"totalSetSize"`
}

// next is where the next page begins, "" if nowhere. n is how many this one has.
func (p page) next(n int) string {
	if n == 0 || p.End+1 >= p.Total {
		return ""
	}

	return strconv.FormatInt(int64(p.End+1), 10)
}

// number is a number that may be a text.
type number int64

// UnmarshalJSON implements json.Unmarshaler. What is no number is 0.
func (n *number) UnmarshalJSON(raw []byte) error {
	parsed, _ := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64) //nolint:errcheck // see above
	*n = number(parsed)

	return nil
}

// pageQuery is the query of a page.
func pageQuery(from string, count int) (url.Values, error) {
	query := url.Values{"count": {strconv.Itoa(count)}}
	if from == "" {
		return query, nil
	}
	if at, err := strconv.ParseUint(from, 10, 31); err != nil || at == 0 {
		return nil, invalidRequest("There is no such page.")
	}
	query.Set("start_position", from)

	return query, nil
}

// listed is a template as DocuSign shows it.
type listed struct {
	ID          string `json:"templateId"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Subject     string `json:"emailSubject"`
	Message     string `json:"emailBlurb"`
	Changed     string `json:"lastModified"`
}

func (l listed) template() provider.Template {
	changed, _ := time.Parse(time.RFC3339Nano, l.Changed) //nolint:errcheck // what cannot be read is not said

	return provider.Template{
		ID: readableText(l.ID), Name: readableText(l.Name), Description: readableText(l.Description), Subject: readableText(l.Subject), Message: readableText(l.Message), ChangedAt: changed.UTC(),
	}
}

// Templates implements provider.Account.
func (a *account) Templates(ctx context.Context, from string) ([]provider.Template, string, error) {
	query, err := pageQuery(from, templatesPage)
	if err != nil {
		return nil, "", err
	}
	var said struct {
		page

		Templates []listed `json:"envelopeTemplates"`
	}
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet, Path: "templates", Query: query}, &said); err != nil {
		return nil, "", err
	}
	var all []provider.Template
	for _, l := range said.Templates {
		if l.ID != "" {
			all = append(all, l.template())
		}
	}

	return all, said.next(len(said.Templates)), nil
}

// Template implements provider.Account.
func (a *account) Template(ctx context.Context, id string) (provider.Template, error) {
	path := "templates/" + url.PathEscape(id)
	var said listed
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet, Path: path}, &said); err != nil {
		return provider.Template{}, err
	}
	var recipients json.RawMessage
	if err := a.call(ctx, outbound.Request{
		Method: http.MethodGet, Path: path + "/recipients", Query: url.Values{"include_tabs": {"true"}},
	}, &recipients); err != nil {
		return provider.Template{}, err
	}
	if said.ID == "" {
		return provider.Template{}, unreadableError()
	}
	t := said.template()
	t.Roles = roles(gjson.ParseBytes(recipients))

	return t, nil
}

// kinds are the lists of recipients that templates have roles in.
var kinds = map[string]provider.RecipientKind{
	"signers": provider.Signer, "inPersonSigners": provider.InPersonSigner, "carbonCopies": provider.CarbonCopy,
	"certifiedDeliveries": provider.CertifiedDelivery, "agents": "agent", "editors": "editor", "intermediaries": "intermediary",
	"witnesses": "witness", "seals": "seal", "notaries": "notary", "participants": "participant",
}

// roles are those of a template, in the order in which they get it.
func roles(all gjson.Result) []provider.Role {
	found := []provider.Role{}
	for list, kind := range kinds {
		for _, r := range all.Get(list).Array() {
			name := readableText(r.Get("roleName").String())
			if name == "" {
				continue // somebody who is named in the template
			}
			found = append(found, provider.Role{
				Name: name, Kind: kind, RoutingOrder: int(r.Get("routingOrder").Int()), Tabs: tabs(r.Get("tabs")),
			})
		}
	}
	slices.SortFunc(found, func(a, b provider.Role) int {
		if a.RoutingOrder != b.RoutingOrder {
			return a.RoutingOrder - b.RoutingOrder
		}

		return strings.Compare(a.Name, b.Name)
	})

	return found
}

// mostTabs is more than a person fills in.
const mostTabs = 2000

// tabs are those of a role, by label.
func tabs(all gjson.Result) []provider.Tab {
	found := []provider.Tab{}
	all.ForEach(func(key, list gjson.Result) bool {
		kind, ok := strings.CutSuffix(key.String(), "Tabs")
		if !ok {
			return true
		}
		for _, t := range list.Array() {
			if len(found) == mostTabs {
				return false
			}
			found = append(found, tab(snake(kind), t))
		}

		return true
	})
	slices.SortStableFunc(found, func(a, b provider.Tab) int { return strings.Compare(a.Label, b.Label) })

	return found
}

func tab(kind string, t gjson.Result) provider.Tab {
	made := provider.Tab{
		Label: readableText(t.Get("tabLabel").String()), Type: kind, Required: isTrue(t.Get("required")), Locked: isTrue(t.Get("locked")),
		MaxSize: int(max(t.Get("maxLength").Int(), 0)), Value: readableText(t.Get("value").String()), Fillable: fillable(kind), Options: nil,
	}
	if kind == typeCheckbox {
		made.Value = strconv.FormatBool(isTrue(t.Get("selected")))
	}
	if kind == typeRadio {
		made.Label = readableText(t.Get("groupName").String())
	}
	for _, one := range append(t.Get("listItems").Array(), t.Get("radios").Array()...) {
		if value := readableText(one.Get("value").String()); value != "" {
			made.Options = append(made.Options, value)
		}
		if isTrue(one.Get("selected")) {
			made.Value = readableText(one.Get("value").String())
		}
	}

	return made
}

func isTrue(r gjson.Result) bool { return strings.EqualFold(r.String(), "true") }

// The types of tabs that are filled otherwise than with a value.
const (
	typeCheckbox  = "checkbox"
	typeRadio     = "radio_group"
	typeNumerical = "numerical"
)

// fillable reports whether tabs of a type can be filled before sending.
func fillable(kind string) bool {
	switch kind {
	case "text", "number", typeNumerical, "ssn", "date", "zip", "email", "phone_number", "note", typeCheckbox, typeRadio, "list", "company", "title":
		return true
	default:
		return false
	}
}

// snake is signHere as sign_here, camel the other way round.
func snake(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}

	return b.String()
}

func camel(text string) string {
	first, rest, more := strings.Cut(text, "_")
	if !more || rest == "" {
		return first
	}
	second := camel(rest)

	return first + strings.ToUpper(second[:1]) + second[1:]
}
