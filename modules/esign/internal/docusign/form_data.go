package docusign

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// formValue is a value of the form data.
type formValue struct {
	Name              string `json:"name"`
	Value             string `json:"value"`
	Original          string `json:"originalValue"`
	Selected          string `json:"listSelectedValue"`
	Numerical         string `json:"numericalValue"`
	OriginalNumerical string `json:"originalNumericalValue"`
}

// SignedTabs implements provider.Envelopes, by the form data (developers.docusign.com, EnvelopeFormData: get). The account's
// setting "Allow sender to download form data" must be on.
func (a *account) SignedTabs(ctx context.Context, id string) (map[string][]provider.SignedTab, error) {
	var said struct {
		Recipients []struct {
			ID     string      `json:"recipientId"`
			Values []formValue `json:"formData"`
		} `json:"recipientFormData"`
	}
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet, Path: pathOf(id) + "/form_data"}, &said); err != nil {
		return nil, err
	}
	local, err := a.localIDs(ctx, id)
	if err != nil {
		return nil, err
	}
	all := map[string][]provider.SignedTab{}
	for _, r := range said.Recipients {
		// The form data name recipients by their GUID, all else by their id within the envelope.
		recipient := cmp.Or(local[r.ID], readableText(r.ID))
		all[recipient] = append(all[recipient], signedTabs(r.Values)...)
	}

	return all, nil
}

// localIDs returns the ids of recipients within the envelope, by their GUIDs.
func (a *account) localIDs(ctx context.Context, id string) (map[string]string, error) {
	var raw json.RawMessage
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet, Path: pathOf(id) + "/recipients"}, &raw); err != nil {
		return nil, err
	}
	ids := map[string]string{}
	gjson.ParseBytes(raw).ForEach(func(_, list gjson.Result) bool {
		for _, r := range list.Array() {
			if guid := r.Get("recipientIdGuid").String(); guid != "" {
				ids[guid] = readableText(r.Get("recipientId").String())
			}
		}

		return true
	})

	return ids, nil
}

// signedTabs are values by label: tabs of one label have one value.
func signedTabs(values []formValue) []provider.SignedTab {
	tabs, seen := []provider.SignedTab{}, map[string]bool{}
	for _, v := range values {
		if v.Name == "" || seen[v.Name] || len(tabs) == mostTabs {
			continue
		}
		seen[v.Name] = true
		tabs = append(tabs, provider.SignedTab{
			Label: storableText(v.Name), Value: storableText(cmp.Or(v.Value, v.Selected, v.Numerical)), Prefilled: storableText(cmp.Or(v.Original, v.OriginalNumerical)),
		})
	}

	return tabs
}
