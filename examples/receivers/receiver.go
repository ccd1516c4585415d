// A webhook receiver. Run: WEBHOOK_SECRET=... PORT=8000 go run receiver.go
// Without WEBHOOK_SECRET, requests are not checked. Accepts both formats, standard and classic.
package main

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// The names exactly as they appear in the header, in lower case.
var algorithms = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224,
	"sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

type event struct {
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
}

type delivery struct {
	Timestamp int64   `json:"timestamp"`
	Events    []event `json:"events"`
	// In the classic format, all events of a request have one type.
	Hook string           `json:"hook"`
	Data []map[string]any `json:"data"`
}

func verified(secret, header string, body []byte) bool {
	if secret == "" {
		return true
	}
	algorithm, signature, _ := strings.Cut(header, "=")
	known, ok := algorithms[algorithm]
	if !ok || signature == "" {
		return false
	}
	mac := hmac.New(known, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		fmt.Fprintln(os.Stderr, "WEBHOOK_SECRET is empty: requests are not checked")
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead { // saving the webhook checks the URL with HEAD
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		if !verified(secret, r.Header.Get("X-Service-Signature"), body) {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, "401 Unauthorized")
			return
		}
		var got delivery
		if json.Unmarshal(body, &got) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, data := range got.Data {
			got.Events = append(got.Events, event{got.Hook, data})
		}
		for _, event := range got.Events {
			// An event may arrive more than once: remember event.Data["id"].
			fmt.Println(event.Type, event.Data["id"])
		}
		io.WriteString(w, "OK")
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
