package store

// ScanResult is what a scanner said of content.
type ScanResult string

// What a scanner says.
const (
	ScanNone     ScanResult = "" // no scanner was asked
	ScanPending  ScanResult = "pending"
	ScanClean    ScanResult = "clean"
	ScanInfected ScanResult = "infected"
	ScanTooLarge ScanResult = "too_large"
	// ScanFailed is of content that the scanner could not look at, however often it was asked.
	ScanFailed ScanResult = "failed"
	// ScanReleased is of content that somebody gave out in spite of what the scanner said.
	ScanReleased ScanResult = "released"
)
