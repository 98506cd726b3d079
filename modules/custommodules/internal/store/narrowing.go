package store

import (
	"github.com/google/uuid"
)

// FewMatches is up to how many records with the words of q= are taken as a set, which then may be filtered
// and sorted by anything. Words that more records have are looked for in the order of the list.
const FewMatches = 1_000

// Narrowing is what a list of records is narrowed to by q=.
type Narrowing struct {
	Module uuid.UUID
	Words  []string
	// ids are the records that have the words, if they are few.
	Ids []uuid.UUID
	Few bool
}
