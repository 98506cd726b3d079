module github.com/dispatchd/dispatchd/tools/places

go 1.26.0
