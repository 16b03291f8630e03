/* Empty: Python's cffi knows these types itself (cmake/python.cmake). */
