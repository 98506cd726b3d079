package moduletest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// findsByTitle proves that q= of a list finds a row by its title, in other case and with accents, and no other company's rows.
func (p player) findsByTitle(ctx context.Context, d resource.Description, at string) error {
	if !d.Searched || d.Title == "" {
		return nil
	}
	row, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	other, err := p.app.newCompany(ctx)
	if err != nil {
		return err
	}
	title, list := row.Get(d.Title).String(), "/"+d.Area+"/api/v1"+d.Path+"?per_page=200&q="
	ours, err := p.finds(ctx, p.app.Owner.Token, list+url.QueryEscape(disguiseText(title)), row.Get("uuid").String())
	if err == nil && !ours {
		err = fmt.Errorf("q=%s does not find the row with the %s %q", disguiseText(title), d.Title, title)
	}
	theirs, theirErr := p.finds(ctx, other.Token, list+url.QueryEscape(title), "")
	if theirErr == nil && theirs {
		theirErr = fmt.Errorf("q=%s finds rows of another company", title)
	}

	return errors.Join(err, theirErr)
}

// finds reports whether a list has the row of a uuid, or any row for "".
func (p player) finds(ctx context.Context, token, path, id string) (bool, error) {
	found, err := p.app.call(ctx, token, http.MethodGet, path, nil)
	if err != nil || !found.succeeded() {
		return false, fmt.Errorf("%s: %w: %s%s", path, err, found.Body, found.reason())
	}
	for _, row := range found.Get("data.#.uuid").Array() {
		if id == "" || row.String() == id {
			return true, nil
		}
	}

	return false, nil
}

// disguiseText is a text in the other case, with accents on its vowels.
func disguiseText(text string) string {
	var other strings.Builder
	for _, r := range text {
		if unicode.IsUpper(r) {
			other.WriteRune(unicode.ToLower(r))
		} else {
			other.WriteRune(unicode.ToUpper(r))
		}
		if strings.ContainsRune("aeiouAEIOU", r) {
			other.WriteRune('\u0301')
		}
	}

	return other.String()
}
