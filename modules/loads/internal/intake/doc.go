// Package intake makes loads of requests that come from outside: by a key, by a mail, by a table. It owns the sources, their keys, and
// the record of what was received; what a request says is read by the package inquiry, and the loads are made by the area.
package intake
