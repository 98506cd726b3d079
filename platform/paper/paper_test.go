package paper_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/paper"
)

func samples() map[string]paper.Paper {
	all := map[string]paper.Paper{
		"confirmation-1": rateConfirmation(plainNames, 1), "confirmation-9": rateConfirmation(plainNames, 9), "confirmation-40": rateConfirmation(plainNames, 40),
		"bol-1": billOfLading(plainNames, 1, 12), "bol-9": billOfLading(plainNames, 9, 40), "bol-short": billOfLading(plainNames, 1, 0),
	}
	for _, n := range []int{0, 1, 50, 300} {
		all["invoice-"+strconv.Itoa(n)] = invoice(plainNames, n)
	}
	for script, n := range inScripts {
		all["script-"+script] = rateConfirmation(n, 2)
	}

	return all
}

func TestSamples_ArePrinted(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PAPER_SAMPLES")
	printer := paper.New()
	for name, doc := range samples() {
		file, warnings, err := printer.PDF(t.Context(), doc)
		require.NoError(t, err)
		if name != "script-chinese" {
			require.Empty(t, warnings, name)
		}
		if dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".pdf"), file, 0o600))
		}
	}
}
