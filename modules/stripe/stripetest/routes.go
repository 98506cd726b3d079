package stripetest

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// parameters are those of what is made, as Stripe refuses others.
var parameters = map[string][]string{
	"customers": {"name", "email", "metadata[reference]", "metadata[owner]"},
	"setup_intents": {
		"customer", "payment_method", "confirm", "usage", "payment_method_types[]", "metadata[reference]", "expand[]",
	},
	"payment_intents": {
		"amount", "currency", "confirm", "payment_method_types[]", "capture_method", "metadata[reference]", "expand[]", "payment_method", "customer",
		"return_url", "off_session", "error_on_requires_action", "description", "statement_descriptor_suffix",
	},
	"refunds":         {"payment_intent", "amount", "metadata[reference]", "metadata[reason]"},
	"capture":         {"expand[]"},
	"cancel":          {"expand[]"},
	"detach":          {},
	"payment_methods": {},
}

func (s *Stripe) route(r *http.Request, body string) vendortest.Reply {
	path, _ := strings.CutPrefix(r.URL.Path, "/v1/")
	parts := append(strings.Split(path, "/"), "", "")
	kind, id, verb := parts[0], parts[1], parts[2]
	if r.Method == http.MethodPost {
		form, refused := readForm(r, body, kind, verb)
		if refused != nil {
			return *refused
		}

		return s.change(kind, id, verb, form)
	}
	expand := r.URL.Query()["expand[]"]
	switch kind {
	case "balance":
		return vendortest.JSON(http.StatusOK, object{"object": "balance", "livemode": false})
	case "payment_methods":
		return show(find(s.methods, id), expand)
	case "setup_intents":
		return show(find(s.setups, id), expand)
	case "payment_intents":
		return s.readIntents(r, id)
	case "refunds":
		if of := r.URL.Query().Get("payment_intent"); of != "" && find(s.intents, of) == nil {
			return notFound(http.StatusBadRequest, "payment_intent", of)
		}
		if id == "" {
			return page(r, s.refunds, func(o object) bool {
				of := r.URL.Query().Get("payment_intent")

				return of == "" || o["payment_intent"] == of
			})
		}

		return show(find(s.refunds, id), expand)
	case "payouts":
		return page(r, s.payouts, func(object) bool { return true })
	case "balance_transactions":
		return page(r, s.entries[r.URL.Query().Get("payout")], func(object) bool { return true })
	default:
		return notFound(http.StatusNotFound, "", path)
	}
}

// readForm reads a body as Stripe does: a form, and nothing in it that it does not know.
func readForm(r *http.Request, body, kind, verb string) (url.Values, *vendortest.Reply) {
	form, err := url.ParseQuery(body)
	if err != nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		refused := invalid("", "", "The body is no form.")

		return nil, &refused
	}
	allowed, known := parameters[kind]
	if verb != "" {
		allowed, known = parameters[verb]
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if known && !slices.Contains(allowed, name) || form.Get(name) == "" {
			refused := invalid("parameter_unknown", name, "Received unknown parameter: "+name)

			return nil, &refused
		}
	}

	return form, nil
}

func (s *Stripe) change(kind, id, verb string, form url.Values) vendortest.Reply {
	switch {
	case kind == "customers":
		return s.createCustomer(form)
	case kind == "setup_intents":
		return s.save(form)
	case kind == "payment_methods" && verb == "detach":
		return s.detach(find(s.methods, id))
	case kind == "payment_intents" && verb != "":
		return s.end(find(s.intents, id), verb, form["expand[]"])
	case kind == "payment_intents":
		return s.pay(form)
	case kind == "refunds":
		return s.giveBack(form)
	default:
		return notFound(http.StatusNotFound, "", kind)
	}
}

var reference = regexp.MustCompile(`^metadata\['reference'\]:'([^']*)'$`)

func (s *Stripe) readIntents(r *http.Request, id string) vendortest.Reply {
	switch id {
	case "":
		return page(r, s.intents, func(object) bool { return true })
	case "search":
		wanted := reference.FindStringSubmatch(r.URL.Query().Get("query"))
		if wanted == nil {
			return invalid("", "query", "The query cannot be read.")
		}

		return page(r, s.intents, func(o object) bool { return o["metadata"].(map[string]string)["reference"] == wanted[1] })
	default:
		return show(find(s.intents, id), r.URL.Query()["expand[]"])
	}
}
