package main

// task is what is asked of a database with a million records.
type task string

const (
	taskGet    task = "read by id"
	taskFilter task = "equality filter"
	taskRange  task = "range and sort, first page"
	taskSort   task = "sort, first page"
	taskPage   task = "first page"
	taskDeep   task = "deep page"
	taskSearch task = "search, one record"
	taskCommon task = "search, all records"
	taskPatch  task = "patch"
	taskCreate task = "create"
	taskBulk   task = "bulk create, records"
)

// bulkSize is how many records a bulk request has: the most that is allowed.
const bulkSize = 500

// errand is a task by a number of clients at once, in the large module or in one of the small tenant's.
type errand struct {
	task    task
	small   bool
	clients int
}

// errands are all that is measured, reads first: creates make the tables grow.
func errands() []errand {
	return []errand{
		{taskGet, false, 8},
		{taskFilter, false, 8},
		{taskFilter, true, 8},
		{taskRange, false, 8},
		{taskRange, true, 8},
		{taskSort, false, 8},
		{taskSort, true, 8},
		{taskSearch, false, 8},
		{taskSearch, true, 8},
		{taskCommon, false, 8},
		{taskCommon, true, 8},
		{taskPage, false, 1},
		{taskPage, true, 1},
		{taskDeep, false, 1},
		{taskPatch, false, 8},
		{taskCreate, false, 8},
		{taskBulk, false, 1},
	}
}

// beside is the errand whose p50 that of this one is compared with, if any: a deep page with the first,
// the small tenant with the large module.
func (e errand) beside() (errand, bool) {
	switch {
	case e.task == taskDeep:
		return errand{taskPage, e.small, e.clients}, true
	case e.small:
		return errand{e.task, false, e.clients}, true
	default:
		return errand{}, false
	}
}

// rows is how many records an answer is to have.
func (e errand) rows() int {
	switch e.task {
	case taskGet, taskFilter, taskSearch, taskPatch, taskCreate:
		return 1
	case taskBulk:
		return bulkSize
	case taskRange, taskSort, taskPage, taskDeep, taskCommon:
	}

	return 20
}

// each is how many records a request writes or asks for one by one.
func (e errand) each() int {
	if e.task == taskBulk {
		return bulkSize
	}

	return 1
}

// place is a module whose records are asked for.
type place struct {
	token, company string
	module         string
	customer       string // that records refer to
	number         int    // of the module
	records        int    // that were filled in
	words          string // what stands before each word of its records
}

// plot is a module that is filled: it has a record already, which the others are made after.
type plot struct {
	place

	record string
}
