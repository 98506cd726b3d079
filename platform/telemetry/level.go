package telemetry

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
)

// levelBody is what /log/level takes and answers.
type levelBody struct {
	Level string `json:"level"`
}

// mostLevel bounds the body of a change, in bytes.
const mostLevel = 1 << 10

// readLevel answers with the level of the log.
func (a *Admin) readLevel(w http.ResponseWriter, r *http.Request) {
	level := LevelOf(a.log)
	if level == nil {
		a.writeError(w, r, http.StatusNotFound, "The log level cannot be changed.")

		return
	}
	a.answer(w, r, http.StatusOK, levelBody{Level: strings.ToLower(level.Level().String())})
}

// setLevel changes the level of the log until the process ends, and logs the change at any level.
func (a *Admin) setLevel(w http.ResponseWriter, r *http.Request) {
	var body levelBody
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostLevel))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	to, ok := parseLevel(body.Level)
	if err != nil || !ok {
		a.writeError(w, r, http.StatusUnprocessableEntity, `Want {"level":"debug"}, or info, warn or error.`)

		return
	}
	level := LevelOf(a.log)
	if level != nil {
		from := level.Level()
		level.Set(to)
		a.log.Log(r.Context(), max(to, slog.LevelInfo), "the log level was changed", "from", from.String(), "to", to.String())
	}
	a.readLevel(w, r)
}

func (a *Admin) writeError(w http.ResponseWriter, r *http.Request, status int, message string) {
	a.answer(w, r, status, map[string]string{"message": message})
}

func (a *Admin) answer(w http.ResponseWriter, r *http.Request, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		a.log.DebugContext(r.Context(), "answer not written", "error", err)
	}
}
