package custommodules_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// eachIdleYard runs test on both databases with a service that leaves work to others, and a function that
// starts one of those.
func eachIdleYard(t *testing.T, test func(t *testing.T, y yard, work func()), settings ...string) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		y := yard{App: moduletest.Boot(t, url, modules(), moduletest.Set(append(settings, "roles=api")...))}
		test(t, y, func() {
			moduletest.Boot(t, url, modules(), moduletest.Set(append(settings, "roles=worker", "jobs.poll=10ms", "jobs.retry_delay=10ms")...))
		})
	})
}

func TestImport_StopsWhenWhatItNeedsGoesWhileItRuns(t *testing.T) {
	t.Parallel()
	eachIdleYard(t, func(t *testing.T, y yard, work func()) {
		t.Helper()
		archived, gone, deleted := y.lots(t), "", ""
		for _, name := range []string{"B", "C"} {
			copied := y.post(t, modulesPath+"/"+archived+"/duplicate", object{"name": name}).OK(t).Get("uuid").String()
			gone, deleted = deleted, copied
		}
		field := y.get(t, modulesPath+"/"+gone+"/fields").Get("data.1.uuid").String()
		ids := map[string]string{}
		for _, module := range []string{archived, gone, deleted} {
			ids[module] = y.upload(t, module, lotFile(1, 450, "1.00"))
			y.verb(t, ids[module], "start").OK(t)
		}
		cancelled := y.upload(t, archived, lotFile(1, 450, "1.00"))
		y.verb(t, cancelled, "start").OK(t)
		y.verb(t, cancelled, "cancel").OK(t)
		y.post(t, modulesPath+"/"+archived+"/archive", nil).OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, modulesPath+"/"+gone+"/fields/"+field, nil).OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, modulesPath+"/"+deleted, nil).OK(t)
		writer := y.Token(t, y.Owner, "custom_modules:read", "custom_modules:write")
		work()

		stopped := y.settled(t, ids[archived])
		require.Equal(t, "stopped", stopped.Get("state").String())
		require.Equal(t, "The module is archived: its records are read-only.", stopped.Get("problem").String())
		stopped = y.settled(t, ids[gone])
		require.Equal(t, "stopped", stopped.Get("state").String())
		require.Contains(t, stopped.Get("problem").String(), "The field that the column goes to is no longer there, or has another type.")
		require.Equal(t, "cancelled", y.settled(t, cancelled).Get("state").String())
		require.Zero(t, y.records(t, archived))

		y.post(t, modulesPath+"/"+deleted+"/restore", nil).OK(t)
		y.post(t, modulesPath+"/"+archived+"/unarchive", nil).OK(t)
		for _, id := range []string{ids[archived], ids[deleted]} {
			y.settled(t, id)
			y.Call(t, writer, http.MethodPost, importsPath+"/"+id+"/resume", nil).OK(t)
			require.Equal(t, []int64{450, 0, 0, 0}, counts(y.settled(t, id), "progress"))
		}
		require.EqualValues(t, 450, y.records(t, archived))
	})
}

func TestImport_StopsAtTheLimitOfRecordsAndGoesOnFromThere(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		id := y.upload(t, lots, lotFile(1, 650, "1.00"))
		full := y.do(t, id, "start")
		require.Equal(t, "stopped", full.Get("state").String())
		require.Contains(t, full.Get("problem").String(), "500 are allowed")
		require.EqualValues(t, 400, y.records(t, lots), "whole chunks")
		require.EqualValues(t, 400, full.Get("progress.created").Int())
		undone := y.do(t, id, "undo")
		require.Equal(t, "undone", undone.Get("state").String())
		require.Zero(t, y.records(t, lots))
	}, moduletest.Set("modules.custom_modules.max_records=500"))
}

func TestImport_IsTakenOnByAnotherWorkerWithoutDoingARowTwice(t *testing.T) {
	t.Parallel()
	eachIdleYard(t, func(t *testing.T, y yard, work func()) {
		t.Helper()
		lots := y.lots(t)
		id := y.upload(t, lots, lotFile(1, 1_000, "1.00"))
		y.verb(t, id, "start").OK(t)
		// Its job is lost, as with a process that was killed; another one is made when it is missed.
		_, err := y.DB.SQL().ExecContext(t.Context(), "DELETE FROM river_job WHERE kind = 'collection.import'")
		require.NoError(t, err)
		work()
		require.Equal(t, []int64{1_000, 0, 0, 0}, counts(y.settled(t, id), "progress"))
		require.EqualValues(t, 1_000, y.records(t, lots))
	}, "imports.stalled_after=1s")
}

func TestImport_TellsItsProgressAsEvents(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.upload(t, y.lots(t), lotFile(1, 450, "1.00"))
		y.verb(t, id, "start").OK(t)
		events := importsPath + "/" + id + "/events"
		heard := string(y.get(t, events).OK(t).Body)
		require.Contains(t, heard, `"state":"completed","problem":"","rows":450,"done":450,"created":450`)
		require.Contains(t, heard, `event: stream.ended`)
		last := heard[strings.LastIndex(heard, "id: ")+len("id: "):]
		last, _, _ = strings.Cut(last, "\n")
		for range 2 {
			again := y.Call(t, y.Owner.Token, http.MethodGet, events, nil, "Last-Event-ID", last)
			require.Equal(t, http.StatusNoContent, again.Status, "it is known already")
			require.Empty(t, again.Body)
		}
		y.verb(t, id, "undo").OK(t)
		later := string(y.Call(t, y.Owner.Token, http.MethodGet, events, nil, "Last-Event-ID", last).OK(t).Body)
		require.Contains(t, later, `"state":"undone"`, "it goes on after its end")
	})
}

func TestImport_IsFollowedFromBeforeItBegins(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.upload(t, y.lots(t), lotFile(1, 300, "1.00"))
		events := importsPath + "/" + id + "/events"
		tried := y.follow(t, events)
		require.Contains(t, tried.next(t), `"state":"ready"`)
		y.verb(t, id, "dry_run").OK(t)
		end := tried.until(t, `"state":"ready"`)
		require.Equal(t, http.StatusNoContent, y.Call(t, y.Owner.Token, http.MethodGet, events, nil, "Last-Event-ID", end).Status)

		ran := y.follow(t, events)
		require.Contains(t, ran.next(t), `"state":"ready"`, "a dry run is not the end")
		y.verb(t, id, "start").OK(t)
		ran.until(t, `"state":"completed"`)
	})
}

// following reads a stream of events.
type following struct{ reader *bufio.Reader }

// follow opens a stream of events.
func (y yard) follow(t *testing.T, path string) following {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+y.API.Address()+path, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+y.Owner.Token)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, response.Body.Close()) })
	require.Equal(t, http.StatusOK, response.StatusCode)

	return following{bufio.NewReader(response.Body)}
}

// next returns the next event.
func (f following) next(t *testing.T) string {
	t.Helper()
	var event strings.Builder
	for {
		line, err := f.reader.ReadString('\n')
		require.NoError(t, err)
		event.WriteString(line)
		if line == "\n" && strings.Contains(event.String(), "event: ") {
			return event.String()
		}
	}
}

// until reads to the end of the stream, whose last event but that has some text, and returns the id of that.
func (f following) until(t *testing.T, text string) (id string) {
	t.Helper()
	var last string
	for event := f.next(t); !strings.Contains(event, "event: stream.ended"); event = f.next(t) {
		last = event
	}
	require.Contains(t, last, text)
	_, id, _ = strings.Cut(last, "id: ")
	id, _, _ = strings.Cut(id, "\n")

	return id
}

func TestImport_DryRunSaysWhatTheRunWillDo(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		file := lotFile(1, 450, "1.00") + "L-00007,2.00\nL-00451,2.00\nL-00451,3.00\n,1.00\n"
		y.create(t, lots, object{"code": "L-00300", "price": "1.00"}).OK(t)
		for _, mode := range []object{{"mode": "create"}, {"mode": "upsert", "by": "code"}} {
			id := y.upload(t, lots, file)
			y.configure(t, id, mode).OK(t)
			tried := y.do(t, id, "dry_run")
			require.Equal(t, counts(tried, "dry_run"), counts(y.do(t, id, "dry_run"), "dry_run"), "it can be repeated")
			ran := y.do(t, id, "start")
			require.Equal(t, counts(ran, "progress"), counts(tried, "dry_run"))
			tries, runs := y.failures(t, id, "dry_run"), y.failures(t, id, "run")
			require.Len(t, tries, len(runs))
			for i := range runs {
				require.Equal(t, runs[i][0], tries[i][0], "the same rows fail")
			}
			require.Equal(t, "undone", y.do(t, id, "undo").Get("state").String())
			require.EqualValues(t, 1, y.records(t, lots))
		}
	})
}

func TestImport_IsUndoneWhenItsFieldIsGoneAndRemovedWhenNobodyWorksOnIt(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		id := y.upload(t, lots, lotFile(1, 250, "1.00"))
		y.do(t, id, "start")
		price := y.get(t, modulesPath+"/"+lots+"/fields").Get("data.1.uuid").String()
		y.Call(t, y.Owner.Token, http.MethodDelete, modulesPath+"/"+lots+"/fields/"+price, nil).OK(t)
		require.Equal(t, "undone", y.do(t, id, "undo").Get("state").String())
		require.Zero(t, y.records(t, lots))

		require.Equal(t, http.StatusNotFound, y.verb(t, id, "complete").Status, "the service does that by itself")

		y.Call(t, y.Owner.Token, http.MethodDelete, importsPath+"/"+id, nil).OK(t)
		y.get(t, importsPath+"/"+id).Refused(t, http.StatusNotFound, "custom_modules.import_not_found")
		y.verb(t, id, "undo").Refused(t, http.StatusNotFound, "custom_modules.import_not_found")
		require.Empty(t, y.get(t, modulesPath+"/"+lots+"/imports").Get("data").Array())
		var left int
		require.NoError(t, y.DB.SQL().QueryRowContext(t.Context(), "SELECT count(*) FROM collection_import_chunks").Scan(&left))
		require.Zero(t, left)
	}, moduletest.Alone())
}

func TestImport_LeavesOneEntryOfWhatSomebodyDidInTheTrail(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		id := y.upload(t, lots, lotFile(1, 650, "1.00")) // stored and removed in several transactions
		y.configure(t, id, object{"mode": "upsert", "by": "code"}).OK(t)
		y.verb(t, id, "cancel").OK(t)
		require.Equal(t, http.StatusNoContent, y.Call(t, y.Owner.Token, http.MethodDelete, importsPath+"/"+id, nil).Status)

		entries := y.trail(t, "custom_modules.import")
		require.Equal(t, []string{
			"custom_modules.import.created", "custom_modules.import.updated", "custom_modules.import.cancel", "custom_modules.import.deleted",
		}, actions(entries))
		require.EqualValues(t, 650, gjson.Get(entries[0].changes, "rows.after").Int())
		require.JSONEq(t, `{"before":"create","after":"upsert"}`, gjson.Get(entries[1].changes, "mode").Raw)
		for _, action := range y.Audited(t, y.Owner) {
			require.NotContains(t, action, "_import", "an entry that was made of the call")
		}
	})
}
