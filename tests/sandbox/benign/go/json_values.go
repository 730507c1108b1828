// Structs and free values as JSON.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

type item struct {
	Name  string         `json:"name"`
	Price float64        `json:"price,omitempty"`
	Tags  []string       `json:"tags"`
	Extra map[string]any `json:"extra,omitempty"`
	inner int
}

func main() {
	text, err := json.Marshal([]item{{Name: "pen <b>", Price: 1.5, Tags: []string{"x"}}, {Name: "ink"}})
	fmt.Println(string(text), err)
	var found item
	err = json.Unmarshal([]byte(`{"name": "é", "price": 1e2, "extra": {"b": [1, null], "a": true}, "unknown": 1}`), &found)
	fmt.Printf("%+v %v\n", found, err)
	err = json.Unmarshal([]byte(`{"name": 5}`), &found)
	var wrong *json.UnmarshalTypeError
	fmt.Println(errors.As(err, &wrong), wrong.Value, wrong.Type)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	encoder.Encode(map[string]any{"z": 1, "a": []int{1, 2}})
	fmt.Println(base64.StdEncoding.EncodeToString([]byte("hello")), hex.EncodeToString([]byte{1, 255}))
}
