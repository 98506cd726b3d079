package main

import "math/bits"

// A VIN has 17 characters without I, O and Q; the ninth is a check digit (49 CFR 565.15). Those made
// here are "1FT", five digits, the check digit, eight digits.
const (
	vinLength  = 17
	vinCheck   = 8
	vinDigits  = 13
	vinNumbers = 10_000_000_000_000
	vinStride  = 7_368_787_919
	vinPrefix  = "1FT"
	vinWeights = "\x08\x07\x06\x05\x04\x03\x02\x0a\x00\x09\x08\x07\x06\x05\x04\x03\x02"
)

// putVIN writes the n-th vehicle identification number into the 17 bytes of dst. Numbers below 10^13
// give different ones, and neighbours far apart: VINs in their order would be kinder to an index than
// real ones are.
func putVIN(dst []byte, n uint64) {
	high, low := bits.Mul64(n%vinNumbers, vinStride)
	n = bits.Rem64(high, low, vinNumbers)
	copy(dst, vinPrefix)
	place := vinLength - 1
	for range vinDigits {
		if place == vinCheck {
			place--
		}
		dst[place] = byte('0' + n%10)
		n /= 10
		place--
	}
	dst[vinCheck] = checkDigit(dst)
}

// checkDigit returns what belongs at the ninth place of a VIN.
func checkDigit(vin []byte) byte {
	sum := 0
	for i := range vinLength {
		sum += vinValue(vin[i]) * int(vinWeights[i])
	}
	if sum%11 == 10 {
		return 'X'
	}

	return byte('0' + sum%11)
}

// vinValue returns the value of a character for the check digit: digits count themselves, A to H
// 1 to 8, J to R 1 to 9, S to Z 2 to 9.
func vinValue(c byte) int {
	switch {
	case c <= '9':
		return int(c - '0')
	case c <= 'I':
		return int(c-'A') + 1
	case c <= 'R':
		return int(c-'J') + 1
	default:
		return int(c-'S') + 2
	}
}

// putPrice writes a price of five digits and two fraction digits into the 8 bytes of dst.
func putPrice(dst []byte, n uint64) {
	putDigits(dst[:5], 10_000+n*7919%90_000)
	dst[5] = '.'
	putDigits(dst[6:8], n%100)
}

// putDigits fills dst with the last digits of n.
func putDigits(dst []byte, n uint64) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
}
