// Channels that wait for each other, time-outs, tickers, and dates.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	select {
	case <-ctx.Done():
		fmt.Println(ctx.Err(), errors.Is(ctx.Err(), context.DeadlineExceeded))
	case <-time.After(5 * time.Second):
		fmt.Println("never")
	}
	ticker := time.NewTicker(time.Millisecond)
	for i := 0; i < 3; i++ {
		<-ticker.C
	}
	ticker.Stop()
	select {
	case <-make(chan int):
	default:
		fmt.Println("nothing yet")
	}
	leap := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	fmt.Println(leap.AddDate(1, 0, 0).Format(time.RFC1123), leap.YearDay(), leap.Weekday())
	fmt.Println(leap.Sub(time.Unix(0, 0)).Hours(), time.Unix(1e9, 0).Format("2006-01-02 15:04:05 MST"))
	when, err := time.Parse(time.RFC3339, "2021-03-03T14:05:09+05:30")
	fmt.Println(when.UTC(), err, 90*time.Minute+30*time.Second)
}
