package verify

import "context"

const squareHeader = "X-Square-Hmacsha256-Signature"

// Square verifies notifications of Square: x-square-hmacsha256-signature is, in base64, the HMAC-SHA256 of the
// address of the subscription, as it is configured there, and of the body. A secret is the
// subscription's signature key as text. No time is signed.
func Square(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		if len(usableKeys(keys)) == 0 {
			return "", ErrNoKey
		}
		if len(r.URLs) == 0 {
			return "", ErrNoURL
		}

		return matchSignature(keys, decodeSignatures(r.Header.Get(squareHeader)), func(secret []byte) [][]byte {
			var sums [][]byte
			for _, address := range withAndWithoutPorts(r.URLs) {
				sums = append(sums, hmacSHA256(secret, []byte(address), r.Body))
			}

			return sums
		})
	}
}

// SignSquare is the value of x-square-hmacsha256-signature.
func SignSquare(secret []byte, address string, body []byte) string {
	return encodeBase64(hmacSHA256(secret, []byte(address), body))
}
