// Package feed keeps what the regulator of US carriers (FMCSA) publishes in tables, and fills them from its files.
//
// The regulator publishes sets: the census of all who have a USDOT number, and sets of authorities, filings and their histories.
// An [Importer] reads a file of a set, or of its differences, and writes what changed. A [Fetcher] downloads the daily differences.
// The tables, carriers_regulator_*, belong to no company.
package feed
