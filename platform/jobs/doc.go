// Package jobs runs work after the response, in this process or in another one: River on SQLite and
// on PostgreSQL.
//
// A job is data, a struct with a Kind. It is enqueued in the transaction that wants it done, so it
// exists exactly if that transaction commits, and it runs at least once: a job whose process was
// killed runs again, so its effect is made safe to repeat. A job belongs to the company of whoever
// enqueued it and runs as the service itself at work for that company.
//
//	type sendArgs struct {
//		Message uuid.UUID `json:"message"`
//	}
//
//	func (sendArgs) Kind() string { return "sms.send" }
//
//	jobs.On((*service).send),                    // manifest: who does the work
//	jobs.Every(time.Minute, pollArgs{}),         // manifest: a schedule of the deployment
//	err := queue.Enqueue(ctx, sendArgs{Message: id}) // in a transaction
//
// A job that fails is tried again, later each time, until it has used up its attempts. Permanent
// says that trying again is of no use, Later that it is not a failure to try again.
package jobs
