// Package database opens SQLite or PostgreSQL, keeps companies apart and makes writes safe.
//
// Two rules are enforced here, so that no area has to think of them.
//
// Tenancy fails closed. A row of a company embeds Tenant, a row of nobody embeds Global. A GORM
// plug-in adds "company_id = ?", from the principal in the context, to every read, update and
// delete of tenant rows and fills it in on insert. Without a principal, and for every form of
// statement that the plug-in cannot make safe, the statement is an error; the errors say what to
// do instead. Crossing companies is an explicit, greppable call: AcrossCompanies. SQL by hand goes
// through Raw, and then keeping companies apart is the caller's duty.
//
// Writes happen in InTx. It puts a transaction into the context, and everything that is handed
// that context joins it: repositories, events, jobs. A write outside is an error.
//
//	err := db.InTx(ctx, func(ctx context.Context) error {
//		return db.Conn(ctx).Create(&row).Error
//	})
//
// On PostgreSQL, a statement whose answer nobody needs is left by Pipeline, and goes out with
// others; a transaction of nothing else is one message.
//
// On SQLite, where there is one writer anyway, InTx is also the group commit: functions that wait
// run one after the other in one transaction, each in its savepoint, and one commit answers all. A
// function may therefore run twice: it does nothing but SQL and starts no goroutine.
package database
