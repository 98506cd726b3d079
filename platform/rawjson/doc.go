// Package rawjson walks over JSON that is known to be valid without making Go values of it: the digits of numbers, the order of
// members and the bytes of values stay unchanged.
package rawjson
