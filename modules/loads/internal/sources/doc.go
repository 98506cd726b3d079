// Package sources makes loads of the requests that a company's sources send: by a key, by a mail, by a table. It owns the sources, their keys, and
// the record of what was received. What a request says is read by platform/intake, and the loads are made by the area.
package sources
