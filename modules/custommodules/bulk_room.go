package custommodules

import (
	"errors"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// bulkRoom is how many bytes there is room for in the answer of a bulk request. A small change of a large
// record answers with the whole of it, so what comes in bounds nothing.
type bulkRoom int

// fit keeps of an outcome what the answer has room for: of a record its id and version at least, of an
// error the message.
func (r *bulkRoom) fit(o *bulkOutcome) {
	if refusal, failed := errors.AsType[*errs.Error](o.err); failed {
		for path, messages := range refusal.Fields {
			*r -= bulkRoom(len(path))
			for _, m := range messages {
				*r -= bulkRoom(len(m))
			}
		}
		if *r < 0 && len(refusal.Fields) > 0 {
			short := *refusal
			short.Fields = nil
			o.err = &short
		}

		return
	}
	if o.record == nil {
		return
	}
	if *r -= bulkRoom(len(o.record.Data)); *r < 0 {
		o.record.Data = nil // the next ones need the memory

		return
	}
	shown := o.record.resource().Body
	*r -= bulkRoom(max(0, len(shown.Payload)-len(o.record.Data)))
	o.shown = &shown
}
