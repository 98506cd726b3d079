package modules_test

import (
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var partName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Every kind of papers has an example that is printed as it is, which templates are checked by, and refuses an item that is not there.
func TestPapers_OfEveryKindArePrinted(t *testing.T) {
	t.Parallel()
	var registry *document.Registry
	var printer *document.Printer
	moduletest.Each(t, modules.All(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		app := boot(moduletest.With(fx.Populate(&registry, &printer)))
		ctx := principal.AsCompany(t.Context(), app.Owner.ID)
		kinds, err := registry.Kinds(ctx)
		require.NoError(t, err)
		require.NotEmpty(t, kinds)
		for _, k := range kinds {
			checkAudience(t, registry, k.Name)
			file, warnings, err := printer.PDF(ctx, k.Name, k.Example)
			require.NoError(t, err, k.Name)
			require.Empty(t, warnings, k.Name)
			require.Equal(t, "%PDF-", string(file.Content[:5]), k.Name)
			require.Regexp(t, `^[\w.-]+\.pdf$`, file.Name, k.Name)
			seen := map[string]bool{}
			for _, part := range k.Example.Parts {
				require.Regexp(t, partName, part.Name, k.Name)
				require.False(t, seen[part.Name], "%s has two parts %s", k.Name, part.Name)
				require.True(t, len(part.Blocks) > 0 || !part.Required, "the part %s of %s is required, so its example has some", part.Name, k.Name)
				seen[part.Name] = true
			}
			plain(t, k.Name, k.Example.Values)
			for _, about := range k.About {
				_, err := printer.Model(ctx, k.Name, item.Ref{Type: about, UUID: uuid.New()}, document.Options{})
				require.Equal(t, errs.NotFound, errs.KindOf(err), "%s of a %s that is not there: %v", k.Name, about, err)
			}
		}
	})
}

// checkAudience checks for whom papers of a kind may ever be. A kind that is not here is for the company alone.
func checkAudience(t *testing.T, r *document.Registry, kind string) {
	t.Helper()
	want := []document.Visibility{document.Internal}
	switch kind {
	case "agreement", "signature", "rate_sheet", "billing_invoice", "billing_credit_note":
		want = append(want, document.Customer)
	case "rate_confirmation", "dispatch_sheet":
		want = append(want, document.Carrier)
	case "bill_of_lading", "pod", "condition_report", "packet":
		want = append(want, document.Customer, document.Carrier, document.Public)
	}
	require.Equal(t, want, r.Audience(kind), kind)
}

// plain checks that values are those that templates can write.
func plain(t *testing.T, name string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		require.NotEmpty(t, v, name)
		for key, inner := range v {
			require.Regexp(t, partName, key, name)
			plain(t, name+"."+key, inner)
		}
	case []any:
		for _, inner := range v {
			plain(t, name, inner)
		}
	case string, int, int64, bool:
	default:
		t.Errorf("%s is %T: templates write texts, numbers and booleans", name, value)
	}
}
