package main

import "fmt"

// sizes say how many records are spread over what: of a million, a fifth is one module, and the others
// are modules of 800.
type sizes struct {
	large, small, modules int
}

const (
	smallModules = 5  // of the small tenant
	othersEach   = 25 // modules of each other tenant

	largeNumber, smallNumber = 0, 1 // of the modules that are asked, among all
)

func sizesOf(records int) sizes {
	s := sizes{large: records / 5, modules: max(smallModules, records/1_000)}
	s.small = (records - s.large) / s.modules

	return s
}

// depth is how many records are before the deep page.
func (s sizes) depth() int { return s.large * 3 / 4 }

// tenants are how many companies there are, each with how many modules: the first has the large one, the
// second is the small tenant.
func (s sizes) tenants() []int {
	list := []int{1, smallModules}
	for left := s.modules - smallModules; left > 0; left -= othersEach {
		list = append(list, min(left, othersEach))
	}

	return list
}

// The filled records of a module are numbered from 1 on. Their ids are in the order in which records of
// all modules take turns; their VINs are in no order.
const (
	numberedModules = 16_384 // more than there are
	vinStep         = 48_271
	vinModulus      = 99_999_989
)

// millionID is the id of the n-th record of a module.
func millionID(module, n int) string { return filledID(n*numberedModules + module) }

// millionVIN is the VIN of the n-th record of any module.
func millionVIN(n int) string { return filledVINPrefix + millionVINEnd(n) }

// millionVINEnd is what the record is searched for by.
func millionVINEnd(n int) string { return fmt.Sprintf("%08d", n*vinStep%vinModulus) }
