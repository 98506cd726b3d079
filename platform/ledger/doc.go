// Package ledger keeps the money of companies in double entry.
//
// A transaction debits some accounts and credits others with the same total. It is posted in the caller's database
// transaction, together with what it is about, and never changes: a mistake is corrected by a reversal. Balances are the sums
// of postings.
//
//	receivable := ledger.Account{Code: "receivable:" + contact, Kind: ledger.Asset, Subject: item.Ref{Type: "contacts.contact", UUID: id}}
//	income := ledger.Account{Code: "income:broker_fee", Kind: ledger.Income}
//
//	posted, err := books.Post(ctx, ledger.Transaction{
//		Reference: "invoices.invoice:" + id + ":issued", Kind: "invoice_issued", Source: invoice,
//		Postings: []ledger.Posting{ledger.Debit(receivable, total), ledger.Credit(income, total)},
//	})
//
// The reference makes posting idempotent: the same transaction posted again is the first one.
//
// It owns the tables ledger_*, rows of companies. Triggers refuse changes and deletions of what was posted and, on PostgreSQL,
// a commit with a transaction that does not balance. Verify recomputes everything.
package ledger
