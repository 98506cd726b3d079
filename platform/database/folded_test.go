package database_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

func TestFoldText_IgnoresCaseAccentsAndWidth(t *testing.T) {
	t.Parallel()
	for text, folded := range map[string]string{
		"":                "",
		"MIAMI, FL 33101": "miami, fl 33101",
		"Étampes":         "etampes",
		"ＡＢＣ":             "abc",
		"Straße":          "strasse",
		"[\\]^_`{|}~@":    "[\\]^_`{|}~@",
	} {
		require.Equal(t, folded, database.FoldText(text), text)
	}
}
