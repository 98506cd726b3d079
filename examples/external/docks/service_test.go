package docks

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckName_TrimsAndMeasuresInCharacters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		given, want string
		refused     bool
	}{
		{given: "  Ål  ", want: "Ål"},
		{given: "ÅÄÖ", want: "ÅÄÖ"},
		{given: "ÅÄÖÉ", refused: true},
		{given: "   ", refused: true},
	}
	s := &service{settings: settings{MaxName: 3}}
	for _, test := range tests {
		got, err := s.checkName(test.given)
		if test.refused {
			require.ErrorIsf(t, err, errInvalid, "%q", test.given)

			continue
		}
		require.NoErrorf(t, err, "%q", test.given)
		require.Equal(t, test.want, got)
	}
}
