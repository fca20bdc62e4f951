package offsite

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
)

// refusals are the errors of S3 that an operator can do something about, with those of stores that have their own.
var refusals = map[string]Code{
	"InvalidAccessKeyId": CodeCredentials, "SignatureDoesNotMatch": CodeCredentials, "InvalidToken": CodeCredentials,
	"ExpiredToken": CodeCredentials, "InvalidSecurity": CodeCredentials, "Unauthorized": CodeCredentials,
	"XAdminUserNotFound": CodeCredentials, // versitygw's
	"AccessDenied":       CodeDenied, "AllAccessDisabled": CodeDenied, "AccountProblem": CodeDenied, "MethodNotAllowed": CodeDenied,
	"NoSuchBucket": CodeBucket, "InvalidBucketName": CodeBucket,
	"QuotaExceeded": CodeFull, "InsufficientStorage": CodeFull, "XMinioStorageFull": CodeFull, "XAmzStorageFull": CodeFull,
	"StorageQuotaExceeded": CodeFull, "ServiceQuotaExceeded": CodeFull,
	"RequestTimeTooSkewed": CodeClock, "RequestExpired": CodeClock,
	"AuthorizationHeaderMalformed": CodeRegion, "IncorrectEndpoint": CodeRegion, "InvalidRegion": CodeRegion,
	"PermanentRedirect": CodeRedirect, "TemporaryRedirect": CodeRedirect,
}

// refusal is the code of an answer that is not the one that was wanted. The store's words go nowhere but into the log,
// and of those only the one that it shares with all stores.
func (b *bucket) refusal(status int, body []byte) *Error {
	var said struct{ Code string }
	_ = xml.Unmarshal(body, &said) // without one, the status says what there is to say
	code, known := refusals[said.Code]
	if !known {
		code = byStatus(status)
	}
	params := map[Code]map[string]string{
		CodeBucket: {"bucket": b.Bucket}, CodeRegion: {"region": b.key.Region}, CodeAnswer: {"status": strconv.Itoa(status)},
	}[code]
	return fail(code, params, fmt.Errorf("status %d, %.40q", status, said.Code))
}

func byStatus(status int) Code {
	switch {
	case status/100 == 3:
		return CodeRedirect
	case status == http.StatusUnauthorized:
		return CodeCredentials
	case status == http.StatusForbidden:
		return CodeDenied
	case status == http.StatusInsufficientStorage:
		return CodeFull
	}
	return CodeAnswer
}
