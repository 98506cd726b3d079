package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"

	"example.com/yardline/docks"
)

func TestYardline_ServesItsAreaBesideOurs(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules.All(), docks.Module), func(t *testing.T, a *moduletest.App) {
		a.Call(t, a.Owner.Token, http.MethodPost, "/docks/api/v1/doors", `{"name": "North 3"}`).OK(t)
		a.Call(t, a.Owner.Token, http.MethodGet, "/custom_modules/api/v1/modules", nil).OK(t)

		about := a.Call(t, "", http.MethodGet, "/", nil).OK(t)
		for _, area := range []string{`"custom_modules"`, `"docks"`} {
			require.Contains(t, about.Get("areas.#.id").Raw, area)
		}
	})
}
