package regulatorapi

import (
	"time"
)

// Health is how well the regulator's data are.
type Health struct {
	Adapter string `json:"adapter" enum:"offline,sandbox,qcmobile,opendata"`
	OK      bool   `json:"ok"`
	Why     string `json:"why,omitempty" doc:"What is wrong."`
	// Rows and AsOf are of the census, or of the sandbox.
	Rows int64      `json:"rows"`
	AsOf *time.Time `json:"as_of"`
	Sets []SetState `json:"sets"`
	// LastAnswer and LastFailure are of the live source.
	LastAnswer  *time.Time `json:"last_answer"`
	LastFailure *time.Time `json:"last_failure"`
}

// SetState is what has been imported of a set.
type SetState struct {
	Set      string     `json:"set"`
	State    string     `json:"state" enum:"never,importing,complete"`
	Rows     int64      `json:"rows"`
	AsOf     *time.Time `json:"as_of"`
	Imported *time.Time `json:"imported_at"`
	// Offset is how many bytes of an unfinished import have been read.
	Offset int64 `json:"offset"`
	Broken int64 `json:"broken_rows"`
	// Failed is when the last fetch failed, nil if it did not.
	Failed *time.Time `json:"failed_at" doc:"When the last fetch failed; null if it did not."`
	Why    string     `json:"why,omitempty" doc:"Why the last fetch failed."`
}
