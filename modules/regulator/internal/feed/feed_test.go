package feed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStarts_AreTheFirstWordsOfANameThatAreNoLegalForm(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"a b auto transport llc", "b auto transport llc", "auto transport llc", "transport llc"}, starts(nil, Folded("A & B Auto-Transport, LLC")))
	require.Equal(t, []string{"pena"}, starts(nil, Folded("Peña")))
	require.Empty(t, starts(nil, Folded("***")))
	require.Equal(t, "smith 12 sons", Folded("  SMITH--12 & Sons. "))
}

func TestDay_IsReadAsTheSetsWriteIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"01-JUN-24": "2024-06-01", "1-JUN-24": "", "31-dec-99": "1999-12-31", "15-Mar-2019": "2019-03-15", "20240601": "2024-06-01", "20240601 1200": "2024-06-01",
		"06/01/2024": "2024-06-01", "2024-06-01T00:00:00.000": "2024-06-01", "30-FEB-24": "", "01-JUN-62": "1962-06-01", "": "", "soon": "",
	} {
		require.Equal(t, want, Day(text), text)
	}
}

func TestSorter_ReturnsEachEntryOnceInTheOrderOfTheIndex(t *testing.T) {
	t.Parallel()
	s := &sorter{}
	for i := range 3000 {
		n := i * 7919 % 1000
		require.NoError(t, s.add(entry{fmt.Sprintf("name %03d", n), "TX", int64(n)}))
		if i%700 == 699 {
			require.NoError(t, s.spill())
		}
	}
	require.NoError(t, s.add(entry{"name", "TX", 5}))
	require.NoError(t, s.add(entry{"name", "AZ", 1 << 40}))
	var all []entry
	for e, err := range s.sorted() {
		require.NoError(t, err)
		all = append(all, e)
	}
	require.NoError(t, s.close())
	require.Len(t, all, 1002)
	require.Equal(t, entry{"name", "AZ", 1 << 40}, all[0])
	require.Equal(t, entry{"name", "TX", 5}, all[1])
	for i, e := range all[2:] {
		require.Equal(t, entry{fmt.Sprintf("name %03d", i), "TX", int64(i)}, e)
	}
}

func TestLedger_KnowsWhatChangedAndWhatIsGone(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	for key := range int64(200) {
		l.load(key, key)
	}
	for _, key := range []int64{0, 1, 150, 2, 500, 500} {
		known, same := l.see(key, key)
		require.Equal(t, key < 200, known, key)
		require.Equal(t, key < 200, same, key)
	}
	known, same := l.see(3, 33)
	require.True(t, known)
	require.False(t, same)
	require.Equal(t, int64(6), l.rows())
	require.Len(t, l.unseen(), 195)
	require.Empty(t, (&ledger{}).unseen())
}

func TestObjects_OfAnotherSetAreNotKnown(t *testing.T) {
	t.Parallel()
	authority := sets[SetAuthority]
	require.True(t, authority.knows(Object{"docket_number": "MC1"}), "takes the docket away")
	require.True(t, authority.knows(Object{"docket_number": "MC1", "op_auth_type": "Broker", "bus_city": "Waco"}))
	require.False(t, authority.knows(Object{"docket_number": "MC1", "blanket_company": "Agents Inc"}))
}

func FuzzTable(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a,b\n\"1\",2\n", "a\n\"\n\n", "a,b\r\n1,\xf1\r\n", "a\n\"1\n2\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := openTable(strings.NewReader(text))
		if err != nil {
			return
		}
		for range len(text) + 1 {
			before := table.place()
			cells, err := table.next(t.Context())
			require.LessOrEqual(t, table.place(), int64(len(text)))
			if err == nil {
				require.Len(t, cells, len(table.columns()))
				require.Greater(t, table.place(), before)
			}
		}
	})
}
