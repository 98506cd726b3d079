package sandbox

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// submitForm does what a recipient says in the form.
func (p *play) submitForm(r *recipient, form url.Values) (signedBody, error) {
	if err := p.view(r); err != nil {
		return signedBody{}, err
	}
	switch form.Get("action") {
	case "sign":
		signature := strings.TrimSpace(form.Get("signature"))
		if err := p.filled(r, form, signature); err != nil {
			return signedBody{}, err
		}

		return signedBody{Outcome: "signed", Event: "signing_complete"}, p.sign(r, signature)
	case "decline":
		reason := strings.TrimSpace(form.Get("reason"))
		if reason == "" || utf8.RuneCountInString(reason) > mostReason || !utf8.ValidString(reason) || strings.Contains(reason, "\x00") {
			return signedBody{}, errForm.WithField("reason", "Please say in a few words why you do not sign.")
		}

		return signedBody{Outcome: "declined", Event: "decline"}, p.decline(r, reason)
	case "later":
		return signedBody{Outcome: "later", Event: "cancel"}, p.addNotice("recipient-finish-later", r.ID)
	default:
		return signedBody{}, errForm.WithField("action", "The action must be one of: sign, decline, later.")
	}
}

// The longest texts that people write.
const (
	mostReason    = 500
	mostSignature = 100
	mostValue     = 4000
)

// tabField is what the fields of tabs begin with.
const tabField = "tab."

// filled takes the values of a recipient's tabs from the form.
func (*play) filled(r *recipient, form url.Values, signature string) error {
	wrong := errForm
	if r.Kind != provider.CertifiedDelivery && (signature == "" || !isPlainText(signature, mostSignature)) {
		wrong = wrong.WithField("signature", "Please write your name as your signature.")
	}
	for i := range r.Tabs {
		t := &r.Tabs[i]
		if !t.Fillable {
			continue
		}
		key := tabField + t.Label
		if !t.Locked {
			t.Value = strings.TrimSpace(form.Get(key))
		}
		if message := tabProblem(*t); message != "" {
			wrong = wrong.WithField(key, message)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

func isPlainText(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.Contains(text, "\x00")
}

// tabProblem is what is wrong with the value of a tab, "" if nothing is.
func tabProblem(t provider.Tab) string {
	switch {
	case t.Required && (t.Value == "" || t.Type == typeCheckbox && !isChecked(t)):
		return "This is required."
	case !isPlainText(t.Value, mostValue), t.MaxSize > 0 && utf8.RuneCountInString(t.Value) > t.MaxSize:
		return fmt.Sprintf("This may have at most %d characters.", max(t.MaxSize, 1))
	case t.Type == typeList && t.Value != "" && !slices.Contains(t.Options, t.Value):
		return "This must be one of: " + strings.Join(t.Options, ", ") + "."
	}

	return ""
}

// The types of tabs that look otherwise than a line of text.
const (
	typeCheckbox = "checkbox"
	typeList     = "list"
)

func isChecked(t provider.Tab) bool { return t.Value == "true" || t.Value == "on" || t.Value == "X" }
