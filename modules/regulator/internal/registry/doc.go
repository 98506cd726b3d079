// Package registry has what the regulator of US carriers (FMCSA) publishes: who a USDOT number is, what it may do, and what
// insurance stands on file.
//
// Its tables, carriers_regulator_*, belong to no company. They are filled by imports of the regulator's public files, by
// the answers of a live source, or by the sandbox; a request reads them alone, and never waits for a vendor. Every group
// of facts says which source it is from, and of when.
package registry
